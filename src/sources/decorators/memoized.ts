/** The answer kept under `key`, or the one that `ask` gives; failures are kept too. */
export function memoize<T>(
  answers: Map<string, Promise<T>>,
  key: string,
  ask: () => Promise<T>,
): Promise<T> {
  let answer = answers.get(key);
  if (answer === undefined) {
    answer = ask();
    answers.set(key, answer);
  }
  return answer;
}

/** A question that is asked once per argument. */
export function memoized<T>(ask: (of: string) => Promise<T>): (of: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (of) => memoize(answers, of, () => ask(of));
}
