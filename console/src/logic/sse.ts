// Reads text/event-stream (WHATWG HTML, server-sent events) from pieces of text that may end anywhere.
// Only what the server uses: event and data; comments are heartbeats.

export interface ServerEvent {
  event: string;
  data: string;
}

export class EventReader {
  private rest = "";
  private event = "";
  private data: string[] = [];
  private endedWithCr = false;

  /** The events that are complete with this piece. */
  push(piece: string): ServerEvent[] {
    const out: ServerEvent[] = [];
    // CRLF may be cut in two by the pieces.
    if (this.endedWithCr && piece.startsWith("\n")) piece = piece.slice(1);
    if (piece !== "") this.endedWithCr = piece.endsWith("\r");
    const lines = (this.rest + piece).split(/\r\n|\r|\n/);
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      const done = this.takeLine(line);
      if (done) out.push(done);
    }
    return out;
  }

  private takeLine(line: string): ServerEvent | undefined {
    if (line === "") return this.finish();
    if (line.startsWith(":")) return undefined;
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    let value = colon < 0 ? "" : line.slice(colon + 1);
    if (value.startsWith(" ")) value = value.slice(1);
    if (field === "event") this.event = value;
    if (field === "data") this.data.push(value);
    return undefined;
  }

  private finish(): ServerEvent | undefined {
    const done = this.data.length ? { event: this.event || "message", data: this.data.join("\n") } : undefined;
    this.event = "";
    this.data = [];
    return done;
  }
}
