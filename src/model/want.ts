import { isDigest, type Digest } from '../text/digest.js';

/** Which versions are wanted. */
export type Want =
  | { readonly form: 'range'; readonly text: string }
  | { readonly form: 'tag'; readonly tag: string }
  | { readonly form: 'digest'; readonly digest: Digest };

/** What a dependsOn entry's words ask for. */
export function wantOf(constraint: string): Want {
  return isDigest(constraint)
    ? { form: 'digest', digest: constraint }
    : { form: 'range', text: constraint };
}

export function wantText(want: Want): string {
  switch (want.form) {
    case 'range':
      return want.text;
    case 'tag':
      return want.tag;
    case 'digest':
      return want.digest;
  }
}
