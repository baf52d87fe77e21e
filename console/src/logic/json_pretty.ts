// Indents JSON without reading it: every number, string and escape stays exactly as it was sent. JSON.parse would turn
// 12345678901234567890 into another number, which is the one thing a record must not do.

const TOKEN = /"(?:[^"\\\u0000-\u001f]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null|[{}[\],:]|[ \t\r\n]+/y;
const DEPTH_MAX = 64;

/** Null when the text is not JSON; it is then shown as it is. */
export function prettyJson(text: string): string | null {
  const tokens = tokensOf(text);
  if (!tokens || tokens.length === 0) return null;
  try {
    JSON.parse(text); // only asks whether it is JSON; what it returns is dropped
  } catch {
    return null;
  }
  return indent(tokens);
}

function tokensOf(text: string): string[] | null {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const match = TOKEN.exec(text);
    if (!match) return null;
    const token = match[0];
    if (!/^[ \t\r\n]/.test(token)) tokens.push(token);
  }
  return tokens;
}

function indent(tokens: string[]): string {
  let out = "";
  let depth = 0;
  const line = () => `\n${"  ".repeat(Math.min(depth, DEPTH_MAX))}`;
  tokens.forEach((token, at) => {
    const next = tokens[at + 1];
    if (token === "{" || token === "[") {
      ++depth;
      out += token;
      if (next !== "}" && next !== "]") out += line();
    } else if (token === "}" || token === "]") {
      --depth;
      const before = tokens[at - 1];
      if (before !== "{" && before !== "[") out += line();
      out += token;
    } else if (token === ",") {
      out += token + line();
    } else if (token === ":") {
      out += ": ";
    } else {
      out += token;
    }
  });
  return out;
}
