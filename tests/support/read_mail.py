"""A mail as somebody else's decoder reads it: read_mail.py FILE prints its parts as JSON. Attachments are
in Base64URL, as the API has them."""
import base64
import email
import email.policy
import json
import sys

with open(sys.argv[1], "rb") as file:
    content = file.read()
mail = email.message_from_bytes(content, policy=email.policy.default)
# Headers may be UTF-8 as it is (SMTPUTF8), which the parser of bytes does not read.
head = email.message_from_string(content.decode("utf-8", "replace"), policy=email.policy.default)


def text_of(kind):
    part = mail.get_body((kind,))
    return part.get_content().replace("\r\n", "\n") if part else ""


print(json.dumps({
    "messageId": head["Message-ID"] or "",
    "from": str(head["From"] or ""),
    "to": str(head["To"] or ""),
    "cc": str(head["Cc"] or ""),
    "bcc": str(head["Bcc"] or ""),
    "subject": str(head["Subject"] or ""),
    "sender": head.get("X-Mail-Args", ""),
    "recipients": head.get_all("X-Rcpt-Args", []),
    "tls": head.get("X-Tls", ""),
    "text": text_of("plain"),
    "html": text_of("html"),
    "attachments": [{"name": part.get_filename(), "contentType": part.get_content_type(),
                     "content": base64.urlsafe_b64encode(part.get_payload(decode=True)).decode().rstrip("=")}
                    for part in mail.iter_attachments()],
    "defects": [str(defect) for part in mail.walk() for defect in part.defects],
}))
