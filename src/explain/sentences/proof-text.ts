import type { Fact } from '../../solver/fact.js';
import type { Incompatibility } from '../../solver/incompatibility.js';
import { clausesOf } from './grouped-clauses.js';
import { inTellingOrder } from '../telling-order.js';
import type { Sentences } from './fact-clause.js';
import type { Encoder } from '../../solver/encoder/encoder.js';

/**
 * A proof as sentences, each with its reasons, a reason a line:
 *
 *     Because a,
 *     and b,
 *     c.
 *
 * A conclusion that later ones rest on gets a number, and is named by it afterwards.
 */
export function explain(because: Incompatibility, sentences: Sentences, encoder: Encoder): string {
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
      ...steps.map((step) => `${sentences.conclusion(step.terms)} (${numbers.get(step)})`),
      ...clausesOf(inTellingOrder(facts, encoder), sentences),
      ...(facts.some(({ fact }) => fact === 'crossplane') ? [sentences.target()] : []),
    ];
    const lines = unique(reasons).map((reason, i) => `${i === 0 ? 'Because' : 'and'} ${reason},`);
    told.push([...lines, `${sentences.conclusion(node.terms)}.`].join('\n'));
  };
  tell(because);
  return told.join('\n\n');
}

/** How many reasons a sentence may have before a step of the argument gets one of its own. */
const MOST = 8;

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
    if (together.length <= MOST) reasons = together;
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
