import type { Comparator } from './comparator.js';
import { isZero } from './checks/comparator-check.js';
import {
  parseConstraint,
  type Constraint,
  type Group,
  type InvalidConstraint,
} from './constraint.js';
import { comparatorMeaning, meaningElsewhere } from './constraint-meaning.js';
import { isDigest } from '../text/digest.js';
import { isClosed, namesPrerelease } from './prerelease-gate.js';
import { openComparator } from './constraint-why-not.js';

/** Where a constraint means something other than most readers would think; one sentence each. */
export function surprises(constraint: Constraint): readonly string[] {
  const found = constraint.groups.flatMap((group) => [
    ...group.flatMap((comparator) => comparatorSurprises(comparator, constraint)),
    ...gateSurprises(group, constraint),
  ]);
  return [...new Set(found)];
}

function comparatorSurprises(comparator: Comparator, { dialect }: Constraint): readonly string[] {
  const { text, operator, bound, wildcard } = comparator;
  const meaning = comparatorMeaning(comparator, dialect);
  const elsewhere = meaningElsewhere(comparator, dialect);
  if (elsewhere !== undefined) {
    return [`\`${text}\` means \`${meaning}\` on this Crossplane, ${elsewhere}`];
  }
  if (operator.startsWith('~') && wildcard === 'none' && isZero(bound)) {
    return [`\`${text}\` has no upper end: it means \`${meaning}\``];
  }
  return [];
}

function gateSurprises(group: Group, { dialect }: Constraint): readonly string[] {
  if (dialect === '3.4.0') return group.some(namesPrerelease) ? openUpperEnds(group) : [];
  const closed = group.filter((comparator) => isClosed(comparator, group, dialect));
  if (closed.length === 0 && !group.some(namesPrerelease)) {
    return [`\`${group[0]!.text}\` admits every prerelease on this Crossplane, none from v2.3 on`];
  }
  if (closed.length === 0 || !group.some(namesPrerelease)) return [];
  const names = closed.map(({ text }) => `\`${text}\``).join(', ');
  return [
    `no prerelease is admitted: on this Crossplane each comparator must name one, and ${names} does not; ` +
      `write \`${group.map(openComparator).join(', ')}\``,
  ];
}

function openUpperEnds(group: Group): readonly string[] {
  return group
    .filter((c) => c.operator === '<' && c.wildcard === 'none' && !namesPrerelease(c))
    .map(
      (c) =>
        `\`${c.text}\` admits prereleases of that very version; write \`${openComparator(c)}\` to leave them out`,
    );
}

/** What to write instead of text that the dialect refuses. */
export function adviceFor({ text, dialect }: InvalidConstraint): string {
  if (text.trim() === '') return 'write `>=0.0.0` for any release';
  if (isDigest(text)) return 'this is a digest: it names one package, and is no range';
  if (dialect === '1.5.0') {
    const commas = withCommas(text);
    if (commas !== undefined) {
      return `a blank means "and" only from Crossplane v2.3 on; write a comma: \`${commas}\``;
    }
  }
  const cured = CURES.map((cure) => cure(text)).find((t) => !parseConstraint(t, dialect).invalid);
  if (cured !== undefined) return `write \`${cured}\``;
  return 'a range is made of comparators such as `>=v1.2.0`, `<v2.0.0` or `^v1.2`, with a comma for and, `||` for or';
}

function withCommas(text: string): string | undefined {
  const parsed = parseConstraint(text, '3.4.0');
  if (parsed.invalid) return undefined;
  const commas = parsed.groups
    .map((group) => group.map((comparator) => comparator.text).join(', '))
    .join(' || ');
  return parseConstraint(commas, '1.5.0').invalid ? undefined : commas;
}

const CURES: readonly ((text: string) => string)[] = [
  (text) => text.trim(),
  (text) => text.replaceAll('==', '='),
  (text) => text.replaceAll('&&', ','),
  (text) => text.replaceAll('V', 'v'),
  (text) => text.replace(/,$/, ''),
  (text) => text.replace(/-0+([0-9])/g, '-$1').replace(/\.0+([0-9])/g, '.$1'),
];
