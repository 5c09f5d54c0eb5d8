/** What packages do in a refusal. */
export type Verb = 'require' | 'need' | 'own' | 'lack' | 'be';

/** `requires` of one, `require` of many. */
export function conjugated(verb: Verb, isMany: boolean): string {
  if (verb === 'be') return isMany ? 'are' : 'is';
  return isMany ? verb : `${verb}s`;
}
