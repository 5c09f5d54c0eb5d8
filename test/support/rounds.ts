import type { PackageSource } from '../../src/sources/package-source.js';

/** A source that answers in rounds: all requests before the next round are answered together. */
export class Rounds {
  /** The requests of each round, in order: `tags h.io/a/p`, `h.io/a/p v1.0.0`. */
  readonly asked: string[][] = [];
  readonly source: PackageSource;
  #waiting: (() => void)[] = [];

  constructor(
    inner: PackageSource,
    { distant, fails = [] }: { readonly distant: boolean; readonly fails?: readonly string[] },
  ) {
    const answer = async <T>(question: string, ask: () => Promise<T>): Promise<T> => {
      await this.#next(question);
      if (fails.includes(question)) throw new Error(`no answer to ${question}`);
      return ask();
    };
    this.source = {
      distant,
      tags: (repository, target) =>
        answer(`tags ${repository}`, () => inner.tags(repository, target)),
      fetch: (candidate, target) =>
        answer(`${candidate.repository} ${candidate.version}`, () =>
          inner.fetch(candidate, target),
        ),
      ...(inner.owners && { owners: (demand, target) => inner.owners!(demand, target) }),
    };
  }

  #next(question: string): Promise<void> {
    if (this.#waiting.length === 0) {
      this.asked.push([]);
      setImmediate(() => {
        for (const resume of this.#waiting.splice(0)) resume();
      });
    }
    this.asked.at(-1)!.push(question);
    return new Promise((resume) => this.#waiting.push(resume));
  }
}
