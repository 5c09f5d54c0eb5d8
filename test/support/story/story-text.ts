import { ABSENT, FIRST, OTHER, type Term } from '../../../src/resolver/solver/incompatibility.js';
import type {
  PackageSubject,
  Subject,
  Subjects,
} from '../../../src/resolver/solver/encoder-context.js';
import type { Problem } from '../../../src/resolver/solver/problem.js';

/** A value greater than all values of a story. */
const FAR = 10_000;

/** Formats terms and incompatibilities in the notation of src/ARCHITECTURE.md. */
export class StoryText {
  readonly #problem: Problem;
  readonly #subjects: Subjects;

  constructor(problem: Problem, subjects: Subjects) {
    this.#problem = problem;
    this.#subjects = subjects;
  }

  /** `{a = 1.0.0, b ∉ 2.0.0}`. */
  incompatibility({ terms }: { readonly terms: readonly Term[] }): string {
    return `{${terms.map((term) => this.term(term)).join(', ')}}`;
  }

  /** `a = 1.0.0`, `a ∈ 1.0.0, 1.2.0…1.4.0`, `a ∉ 1.0.0`, `a = absent`, `a = other`. */
  term({ variable, values }: Term): string {
    const subject = this.#subjects.subject(variable);
    const isOpen = values.has(FAR);
    const listed = isOpen ? values.complement() : values;
    const names = this.#names(subject, (value) => listed.has(value));
    if (names.length === 0) return `${this.#name(subject)} ${isOpen ? 'is anything' : '∈ ∅'}`;
    const sign = isOpen ? '∉' : listed.onlyMember === undefined ? '∈' : '=';
    return `${this.#name(subject)} ${sign} ${names.join(', ')}`;
  }

  #name(subject: Subject): string {
    switch (subject.about) {
      case 'package':
        return subject.repository;
      case 'crossplane':
        return 'crossplane';
      case 'api':
        return `owner of ${'crd' in subject.crdRef ? subject.crdRef.crd : subject.crdRef.kind}`;
      case 'local':
        return subject.root.by!;
    }
  }

  /** Three or more adjacent values are written as a range. */
  #names(subject: Subject, isIn: (value: number) => boolean): string[] {
    const words = [ABSENT, OTHER].filter(isIn).map((value) => ['absent', 'other'][value]!);
    const values = this.#values(subject);
    for (let from = 0; from < values.length; from++) {
      let to = from;
      while (to < values.length && isIn(values[to]!.value)) to++;
      const run = values.slice(from, to).map(({ name }) => name);
      words.push(...(run.length < 3 ? run : [`${run[0]!}…${run.at(-1)!}`]));
      if (to > from) from = to;
    }
    return words;
  }

  /** Versions without order come last. */
  #versions({ versions }: PackageSubject): { value: number; name: string }[] {
    const unordered = versions.all().filter((value) => versions.version(value) === undefined);
    const values = [...versions.ascending(), ...unordered];
    return values.map((value) => ({ value, name: versions.label(value) }));
  }

  /** Returns the values in ascending order. */
  #values(subject: Subject): { value: number; name: string }[] {
    switch (subject.about) {
      case 'package':
        return this.#versions(subject);
      case 'crossplane':
        return numbered(this.#problem.releases.map(({ raw }) => raw)).reverse();
      case 'api':
        return numbered(subject.owners.map(({ repository }) => repository));
      case 'local':
        return numbered(['here']);
    }
  }
}

function numbered(names: readonly string[]): { value: number; name: string }[] {
  return names.map((name, i) => ({ value: FIRST + i, name }));
}
