import { Untold, type Law, type LawOptions } from './law.js';
import { laws } from './laws.js';
import type { Resolver } from './resolver.js';

export type LawName = keyof typeof laws;

export interface CheckOptions extends Omit<LawOptions, 'path'> {
  /** Those to try; all, unless told. */
  readonly laws?: readonly LawName[] | undefined;
}

/** How one law fared. */
export type LawResult =
  | { readonly law: LawName; readonly status: 'holds' }
  | {
      readonly law: LawName;
      readonly status: 'broken';
      /** With the smallest scenario that breaks it, as files to paste. */
      readonly report: string;
    }
  | {
      readonly law: LawName;
      /** The resolver does not tell what the law is about. */
      readonly status: 'untold';
      readonly report: string;
    };

/** Tries every law on a resolver, one after the other; a law that is broken stops no other. */
export async function checkLaws(
  resolver: Resolver,
  options: CheckOptions = {},
): Promise<LawResult[]> {
  const { laws: names = Object.keys(laws) as LawName[], ...settings } = options; // the keys it has
  const results: LawResult[] = [];
  for (const name of names) results.push(await checkLaw(name, resolver, settings));
  return results;
}

async function checkLaw(
  name: LawName,
  resolver: Resolver,
  settings: LawOptions,
): Promise<LawResult> {
  const law: Law = laws[name];
  try {
    await law(resolver, settings);
    return { law: name, status: 'holds' };
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    if (error.cause instanceof Untold)
      return { law: name, status: 'untold', report: error.cause.message };
    return { law: name, status: 'broken', report: error.message };
  }
}
