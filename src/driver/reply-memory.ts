import type { Target, TargetRules } from '../model/target/target.js';

type Rule = keyof TargetRules;

/** A reply, and what it takes for another target to be given the same. */
export interface RememberedReply<T> {
  readonly reply: Promise<T>;
  /** The target that it was given for. */
  readonly target: Target;
  /** The rules that were read to give it. */
  readonly rulesRead: ReadonlySet<Rule>;
  /** false: more rules may yet be read. */
  isSettled: boolean;
  /** undefined: there is none yet, or it is a failure. */
  given: GivenReply<T> | undefined;
}

/** What was replied. */
export interface GivenReply<T> {
  readonly value: T;
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

  /** The reply that a question has been given; undefined: none yet that serves the target. */
  given(question: string, target: Target): RememberedReply<T> | undefined {
    const known = this.#replies.get(question)?.find((reply) => serves(reply, target));
    return known?.given && known;
  }

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

  #put(question: string, target: Target, put: (target: Target) => Promise<T>): RememberedReply<T> {
    const { version, warning } = target;
    const rulesRead = new Set<Rule>();
    let noted: TargetRules | undefined;
    const reply = put({
      version,
      warning,
      // Most replies depend on no rule, and there are as many of them as versions are read.
      get rules() {
        return (noted ??= noting(target.rules, rulesRead));
      },
    });
    const remembered: RememberedReply<T> = {
      reply,
      target,
      rulesRead,
      isSettled: false,
      given: undefined,
    };
    const settle = (value: T) => {
      remembered.isSettled = true;
      remembered.given = { value };
    };
    // Handling the rejection here also keeps Node from reporting one that is never awaited.
    reply.then(settle, () => (remembered.isSettled = true));
    const others = this.#replies.get(question);
    if (others === undefined) this.#replies.set(question, [remembered]);
    else others.push(remembered);
    return remembered;
  }
}

/** While a reply is awaited, it may still come to depend on any rule. */
function serves<T>({ isSettled, rulesRead, target }: RememberedReply<T>, other: Target): boolean {
  if (isSettled && rulesRead.size === 0) return true;
  const before = target.rules;
  const now = other.rules;
  if (before === now) return true;
  const compared = isSettled ? [...rulesRead] : ruleNames(now);
  return compared.every((rule) => isSame(before[rule], now[rule]));
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
