// A mail address that is broken before its @ rather than in the middle of a word.

export function Address({ text }: { text: string }) {
  const at = text.lastIndexOf("@");
  if (at <= 0) return <>{text}</>;
  return (
    <>
      {text.slice(0, at)}
      <wbr />
      {text.slice(at)}
    </>
  );
}
