/** Benches by name; each gives its tables. */
type Benches = Readonly<Record<string, () => string | Promise<string>>>;

/** A command line that is wrong, as of xpkg-resolve itself. */
const BAD_USAGE = 2;

interface Streams {
  readonly out: (text: string) => void;
  readonly note: (text: string) => void;
}

/** Runs the benches asked for, or all, in the order they are listed in; the exit code says whether there are such. */
export async function runBenches(
  asked: readonly string[],
  benches: Benches,
  { heading, out, note }: Streams & { readonly heading: string },
): Promise<number> {
  const unknown = asked.filter((name) => !Object.hasOwn(benches, name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => `\`${name}\``).join(', ');
    note(
      `error: no bench is called ${names}\nhint: there are ${Object.keys(benches).join(', ')}\n`,
    );
    return BAD_USAGE;
  }
  out(`${heading}\n`);
  for (const [name, bench] of Object.entries(benches)) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    out(`\n### ${name}\n\n${await bench()}`);
  }
  return 0;
}
