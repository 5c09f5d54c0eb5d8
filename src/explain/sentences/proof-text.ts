import type { Fact } from '../../solver/fact.js';
import type { Incompatibility } from '../../solver/incompatibility.js';
import { conclusion } from './conclusion.js';
import { groupedClauses } from './grouped-clauses.js';
import type { NounPhrases } from './noun-phrases.js';
import { inTellingOrder } from '../telling-order.js';

/** How many reasons a sentence may have before a step of the argument gets one of its own. */
const MAX_REASONS_PER_SENTENCE = 8;

/**
 * Step 3 of an explanation: a proof as sentences, each with its reasons, a reason a line:
 *
 *     Because a,
 *     and b,
 *     c.
 *
 * A conclusion that later ones rest on gets a number, and is named by it afterwards.
 */
export function proofText(because: Incompatibility, nouns: NounPhrases): string {
  const uses = countUses(because);
  const numbers = new Map<Incompatibility, number>();
  const told: string[] = [];

  const tell = (node: Incompatibility): void => {
    const parents = reasonsOf(node, uses);
    const steps = unique(parents.filter((parent) => parent !== node && isDerived(parent)));
    for (const step of steps) {
      if (numbers.has(step)) continue;
      tell(step);
      numbers.set(step, numbers.size + 1);
      told.push(`${told.pop()!} (${numbers.get(step)})`);
    }
    const facts = parents.flatMap((parent) => (isDerived(parent) ? [] : [parent.cause as Fact]));
    const reasons = [
      ...steps.map((step) => `${conclusion(step.terms, nouns)} (${numbers.get(step)})`),
      ...groupedClauses(inTellingOrder(facts, nouns.encoder), nouns),
      ...(facts.some(({ fact }) => fact === 'crossplane') ? [nouns.target()] : []),
    ];
    const lines = unique(reasons).map((reason, i) => `${i === 0 ? 'Because' : 'and'} ${reason},`);
    told.push([...lines, `${conclusion(node.terms, nouns)}.`].join('\n'));
  };
  tell(because);
  return told.join('\n\n');
}

/** What a conclusion rests on; small steps that nothing else rests on are not worth a sentence. */
function reasonsOf(
  node: Incompatibility,
  uses: ReadonlyMap<Incompatibility, number>,
): readonly Incompatibility[] {
  if (node.cause.fact !== 'derived') return [node];
  let reasons = node.cause.parents;
  for (const parent of node.cause.parents) {
    if (!isDerived(parent) || uses.get(parent)! > 1) continue;
    const inner = reasonsOf(parent, uses);
    const together = reasons.flatMap((reason) => (reason === parent ? inner : [reason]));
    if (together.length <= MAX_REASONS_PER_SENTENCE) reasons = together;
  }
  return reasons;
}

function countUses(because: Incompatibility): Map<Incompatibility, number> {
  const uses = new Map<Incompatibility, number>();
  const visit = (node: Incompatibility): void => {
    const before = uses.get(node) ?? 0;
    uses.set(node, before + 1);
    if (before > 0 || node.cause.fact !== 'derived') return;
    for (const parent of node.cause.parents) visit(parent);
  };
  visit(because);
  return uses;
}

function isDerived({ cause }: Incompatibility): boolean {
  return cause.fact === 'derived';
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
