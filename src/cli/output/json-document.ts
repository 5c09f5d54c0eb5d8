/** What `-o json` prints: one document, in the version of the format that pipelines rely on. */
export function jsonDocument(fields: object): string {
  return `${JSON.stringify({ schemaVersion: 1, ...fields }, null, 2)}\n`;
}
