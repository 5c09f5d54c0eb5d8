import type { Target, TargetRules } from '../model/target/target.js';

type Rule = keyof TargetRules;

/** A reply, and what it takes for another target to be given the same. */
export interface RememberedReply<T> {
  readonly reply: Promise<T>;
  /** The rules of the target that it was given for. */
  readonly rules: TargetRules;
  /** Those that were read to give it. */
  readonly rulesRead: ReadonlySet<Rule>;
  /** false: more rules may yet be read. */
  isSettled: boolean;
}

/**
 * Replies to one kind of question. Each is asked for once; failures are remembered as well.
 *
 * A reply serves every target that agrees with the first on the rules that were read to give it:
 * a reply depends on what was read and on nothing else. No list says which rules these are. The
 * target that `put` is called with notes them.
 */
export class ReplyMemory<T> {
  readonly #replies = new Map<string, RememberedReply<T>[]>();

  /** The reply to a question; `put` asks it, at once if no reply to the same question is awaited. */
  async ask(
    question: string,
    target: Target,
    put: (target: Target) => Promise<T>,
  ): Promise<RememberedReply<T>> {
    for (;;) {
      const replies = this.#replies.get(question) ?? [];
      const known = replies.find((reply) => serves(reply, target));
      if (known !== undefined) return known;
      const pending = replies.filter(({ isSettled }) => !isSettled);
      if (pending.length === 0) break;
      await Promise.allSettled(pending.map(({ reply }) => reply));
    }
    return this.#put(question, target, put);
  }

  #put(
    question: string,
    { rules, ...target }: Target,
    put: (target: Target) => Promise<T>,
  ): RememberedReply<T> {
    const rulesRead = new Set<Rule>();
    const reply = put({ ...target, rules: noting(rules, rulesRead) });
    const remembered = { reply, rules, rulesRead, isSettled: false };
    // Handling the rejection here also keeps Node from reporting one that is never awaited.
    const settle = () => (remembered.isSettled = true);
    reply.then(settle, settle);
    const others = this.#replies.get(question);
    if (others === undefined) this.#replies.set(question, [remembered]);
    else others.push(remembered);
    return remembered;
  }
}

/** While a reply is awaited, it may still come to depend on any rule. */
function serves<T>(known: RememberedReply<T>, { rules }: Target): boolean {
  const rulesRead = known.isSettled ? known.rulesRead : ruleNames(rules);
  return [...rulesRead].every((rule) => isSame(known.rules[rule], rules[rule]));
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}

/** The rules, with a note of each that is read; a copy or a clone of them reads all. */
function noting(rules: TargetRules, read: Set<Rule>): TargetRules {
  const noted = {};
  for (const rule of ruleNames(rules)) {
    const get = () => {
      read.add(rule);
      return rules[rule];
    };
    Object.defineProperty(noted, rule, { enumerable: true, get });
  }
  return noted as TargetRules; // it has the same properties
}

function ruleNames(rules: TargetRules): readonly Rule[] {
  return Object.keys(rules) as Rule[]; // the type names every property
}
