/** Returns a JSON Schema that forbids all fields it does not name. */
export function closedSchema(part: unknown, inIf = false): unknown {
  if (Array.isArray(part)) return part.map((each) => closedSchema(each, inIf));
  if (typeof part !== 'object' || part === null) return part;
  const fields = Object.entries(part).map(([key, value]) => [
    key,
    closedSchema(value, inIf || key === 'if'),
  ]);
  const closed = 'properties' in part && 'type' in part && !inIf;
  return { ...Object.fromEntries(fields), ...(closed && { additionalProperties: false }) };
}
