/** Why a name cannot be that of a package object; undefined: it can. */
export function nameProblem(name: string): string | undefined {
  if (name.length > 63) {
    return `is ${name.length} characters long; Crossplane puts it in a label, which takes 63`;
  }
  const valid = name
    .split('.')
    .every((label) => /^[a-z0-9-]+$/.test(label) && !/^-|-$/.test(label));
  if (valid) return undefined;
  return 'is no name for an object: `a-z`, `0-9`, `-` and `.`, with a letter or digit at both ends';
}
