/** A question that is put once per argument; failures are kept too. */
export function memoized<T>(ask: (of: string) => Promise<T>): (of: string) => Promise<T> {
  const answers = new Map<string, Promise<T>>();
  return (of) => {
    const answer = answers.get(of) ?? ask(of);
    answers.set(of, answer);
    return answer;
  };
}
