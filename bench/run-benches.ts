/** Benches by name; each returns its tables. */
type Benches = Readonly<Record<string, () => string | Promise<string>>>;

/** The exit code for a usage error, as of xpkg-resolve itself. */
const BAD_USAGE = 2;

interface Streams {
  readonly out: (text: string) => void;
  readonly note: (text: string) => void;
}

/**
 * Runs the given benches, or all, in the order of the list; returns an exit code for unknown names.
 */
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
