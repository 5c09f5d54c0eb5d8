const MIB = 1024 * 1024;

/** What exceeds one of these is refused, never cut short. */
export const DOCUMENT_LIMITS = {
  /** Crossplane lists all objects of a package in its revision, and the size of that is limited. */
  documents: 50_000,
  /** Of one document: no API server takes half as much. */
  documentBytes: 8 * MIB,
  /** Of a document that takes a parser: characters that can begin a node. A node takes some 200 bytes. */
  documentMarks: 250_000,
  /** Of what is known of one package once it is read. */
  keptChars: 8 * MIB,
  /** Of a file that describes a `.registry/` package: annotations of an object may be as long. */
  registryFileBytes: 256 * 1024,
  /** Problems of one package that are told, and warnings. */
  toldProblems: 1_000,
} as const;

/** Before every node of a document, its root aside, stands one of these; 1 for each. */
const MARKS = new Uint8Array(128);
for (const mark of Buffer.from('-:,[{?\n')) MARKS[mark] = 1;

/** Says why a document is not parsed; undefined: it may be. */
export function partsProblem(text: string): string | undefined {
  let count = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < MARKS.length && MARKS[code] === 1) count++;
  }
  if (count <= DOCUMENT_LIMITS.documentMarks) return undefined;
  return `the document has more than ${DOCUMENT_LIMITS.documentMarks} parts, more than any API server takes; split it`;
}
