import type { Hint } from './hint.js';

/**
 * A hint for programs. The first change to a file stands in the hint itself; `also` has those of
 * other documents.
 */
export function hintJson({ text, edit }: Hint): object {
  if (edit === undefined) return { text };
  const { files, refs, args } = edit;
  const [first, ...also] = files;
  return {
    text,
    ...(first && { file: first.file, document: first.document, patch: first.patch }),
    ...(also.length > 0 && { also }),
    ...(refs && { refs }),
    ...(args && { args }),
  };
}
