/** Where a value stands inside a document: `['spec', 'packages', 2, 'version']`. */
export type Path = readonly (string | number)[];

/** `spec.packages[2].version`, for messages. */
export function formatPath(path: Path): string {
  return path
    .map((step) => {
      if (typeof step === 'number') return `[${step}]`;
      return /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
    })
    .join('')
    .replace(/^\./, '');
}
