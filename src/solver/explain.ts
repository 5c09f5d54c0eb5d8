import type { Incompatibility } from './incompatibility.js';
import { andList } from './range-text.js';
import type { Sentences } from './sentences.js';

/**
 * A proof as sentences, each with the reasons it needs: "Because a and b, c." What is needed more
 * than once gets a number where it is first said, and is named by it afterwards.
 */
export function explain(because: Incompatibility, sentences: Sentences): string[] {
  const uses = countUses(because);
  const numbers = new Map<Incompatibility, number>();
  const lines: string[] = [];
  let previous: Incompatibility | undefined;

  const say = (node: Incompatibility): void => {
    if (node.cause.fact !== 'derived') return;
    const derived = node.cause.parents.filter((parent) => parent.cause.fact === 'derived');
    // What was said last can be built on without naming it again, so the longest argument comes last.
    for (const parent of derived) if (!numbers.has(parent) && parent !== previous) say(parent);
    const reasons = node.cause.parents.flatMap((parent) => reason(parent, previous) ?? []);
    const follows = derived.length > 0 && derived.at(-1) === previous;
    const opening = follows ? 'So, because' : lines.length > 0 ? 'And because' : 'Because';
    const conclusion = sentences.conclusion(node.terms);
    const text =
      reasons.length === 0
        ? `So ${conclusion}.`
        : `${opening} ${andList(unique(reasons))}, ${conclusion}.`;
    if ((uses.get(node) ?? 0) > 1) numbers.set(node, numbers.size + 1);
    const number = numbers.get(node);
    lines.push(number === undefined ? text : `${text} (${number})`);
    previous = node;
  };
  const reason = (node: Incompatibility, last: Incompatibility | undefined): string | undefined => {
    if (node.cause.fact !== 'derived') return sentences.fact(node.cause);
    const number = numbers.get(node);
    if (node === last) return undefined;
    const text = sentences.conclusion(node.terms);
    return number === undefined ? text : `${text} (${number})`;
  };

  if (because.cause.fact === 'derived') say(because);
  else lines.push(`${capitalised(sentences.fact(because.cause) ?? '')}.`);
  return lines;
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

function unique(items: readonly string[]): string[] {
  return [...new Set(items)];
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
