// Written twice on purpose: output is judged here by rules of its own, so that a mistake in bundle or lock shows.
import { isDigest } from '../../text/digest.js';
import { listOf, mappingOf, stringOf, type JsonObject } from '../../text/json.js';
import { nameOf } from '../object-label.js';
import type { InstalledSet } from './installed-set.js';

/** Packages that ImageConfigs make the cluster pull by another digest than is locked, or by none. */
export function pinProblems({ installed, objects, target, pinned }: InstalledSet): string[] {
  if (target.rules.imageConfig?.rewrite !== true) return [];
  const rewrites = objects
    .filter(({ kind, spec }) => kind === 'ImageConfig' && mappingOf(spec)?.['rewriteImage'])
    .toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    .flatMap(rewritesOf);
  return installed.flatMap(({ reference, version, locked }) => {
    if (isDigest(version)) return [];
    const matching = rewrites.filter(({ prefix }) => reference.startsWith(prefix));
    const longest = Math.max(0, ...matching.map(({ prefix }) => prefix.length));
    const to = matching.find(({ prefix }) => prefix.length === longest);
    const pulled = to === undefined ? reference : to.by + reference.slice(longest);
    if (!pulled.includes('@')) return pinned ? [`\`${reference}\` is not pulled by digest`] : [];
    const digest = pulled.slice(pulled.indexOf('@') + 1);
    if (digest === locked?.digest) return [];
    return [`\`${reference}\` is pulled as \`${digest}\`, and \`${locked?.digest}\` is locked`];
  });
}

function rewritesOf({ spec }: JsonObject): { readonly prefix: string; readonly by: string }[] {
  const { matchImages, rewriteImage } = mappingOf(spec) ?? {};
  const by = stringOf(mappingOf(rewriteImage)?.['prefix']) ?? '';
  return (listOf(matchImages) ?? []).map((match) => ({
    prefix: stringOf(mappingOf(match)?.['prefix']) ?? '',
    by,
  }));
}
