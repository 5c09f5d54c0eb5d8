import { isDigest, type Digest } from '../text/digest.js';

/** Which versions are wanted. */
export type Selector =
  | { readonly form: 'range'; readonly text: string }
  | { readonly form: 'tag'; readonly tag: string }
  | { readonly form: 'digest'; readonly digest: Digest };

/** Any version that is no prerelease. */
export const ANY: Selector = { form: 'range', text: '*' };

/** What a dependsOn entry's words ask for. */
export function selectorOf(constraint: string): Selector {
  return isDigest(constraint)
    ? { form: 'digest', digest: constraint }
    : { form: 'range', text: constraint };
}

export function selectorText(selector: Selector): string {
  switch (selector.form) {
    case 'range':
      return selector.text;
    case 'tag':
      return selector.tag;
    case 'digest':
      return selector.digest;
  }
}
