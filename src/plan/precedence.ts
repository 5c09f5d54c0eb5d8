import type { Cause } from './clash.js';
import type { Leg } from './leg.js';

/** That a leg comes after another, with the reasons; none: they are of one route, or it is tidier. */
export interface Precedence {
  readonly before: Leg;
  readonly after: Leg;
  readonly causes: readonly Cause[];
}

/** Which legs come before which. */
export class Precedences {
  readonly #after: ReadonlyMap<Leg, Map<Leg, Precedence>>;

  constructor(legs: readonly Leg[]) {
    this.#after = new Map(legs.map((leg) => [leg, new Map<Leg, Precedence>()]));
  }

  add(before: Leg, after: Leg, cause?: Cause): void {
    const known = this.#after.get(before)!;
    const causes = known.get(after)?.causes ?? [];
    known.set(after, { before, after, causes: cause === undefined ? causes : [...causes, cause] });
  }

  /** The same, to add to. */
  copy(): Precedences {
    const copy = new Precedences([...this.#after.keys()]);
    for (const [before, known] of this.#after) {
      for (const [after, precedence] of known) copy.#after.get(before)!.set(after, precedence);
    }
    return copy;
  }

  /** All of them, or those among some legs. */
  among(legs: Iterable<Leg> = this.#after.keys()): readonly Precedence[] {
    const within = new Set(legs);
    return [...within].flatMap((leg) =>
      [...this.#after.get(leg)!.values()].filter(({ after }) => within.has(after)),
    );
  }

  reaches(from: Leg, to: Leg): boolean {
    return this.descendants(from).has(to);
  }

  descendants(from: Leg): ReadonlySet<Leg> {
    const seen = new Set<Leg>();
    const ahead = [from];
    for (let leg = ahead.pop(); leg !== undefined; leg = ahead.pop()) {
      for (const next of this.#after.get(leg)!.keys()) {
        if (seen.has(next)) continue;
        seen.add(next);
        ahead.push(next);
      }
    }
    return seen;
  }
}

/** The shortest way in a circle; undefined: there is none. */
export function shortestCircle(precedences: readonly Precedence[]): Precedence[] | undefined {
  const from = new Map<Leg, Precedence[]>();
  for (const each of precedences) from.set(each.before, [...(from.get(each.before) ?? []), each]);
  const circles = [...from.keys()].flatMap((leg) => {
    const circle = circleThrough(leg, from);
    return circle === undefined ? [] : [circle];
  });
  return circles.sort((a, b) => a.length - b.length)[0];
}

function circleThrough(
  start: Leg,
  from: ReadonlyMap<Leg, readonly Precedence[]>,
): Precedence[] | undefined {
  const ways: Precedence[][] = [[]];
  const seen = new Set<Leg>();
  for (const way of ways) {
    for (const next of from.get(way.at(-1)?.after ?? start) ?? []) {
      if (next.after === start) return [...way, next];
      if (seen.has(next.after)) continue;
      seen.add(next.after);
      ways.push([...way, next]);
    }
  }
  return undefined;
}
