/** What `constraint -o json` prints. */
export interface ConstraintReport {
  readonly constraint: string;
  readonly crossplane: string;
  /** Version of Masterminds/semver that the release is built with. */
  readonly semver: string;
  /** What it admits of releases, spelled out in full versions. */
  readonly means: string;
  /** Whether any prerelease can be admitted. */
  readonly prereleases: boolean;
  readonly notes: readonly string[];
  readonly versions: readonly VersionReport[];
}

interface VersionReport {
  readonly version: string;
  readonly validVersion: boolean;
  readonly satisfied: boolean;
  /** Set when not satisfied. */
  readonly reason: string | undefined;
}

export function constraintReportText(report: ConstraintReport): string {
  const lines = [
    `${report.constraint} on Crossplane ${report.crossplane} (semver ${report.semver})`,
    `  means ${report.means}`,
    `  prereleases are ${report.prereleases ? 'admitted where in range' : 'not admitted'}`,
    ...report.notes.map((note) => `  note: ${note}`),
  ];
  const width = Math.max(0, ...report.versions.map(({ version }) => version.length));
  if (report.versions.length > 0) lines.push('');
  for (const { version, satisfied, reason } of report.versions) {
    lines.push(`${version.padEnd(width)}  ${satisfied ? 'yes' : `no: ${reason}`}`);
  }
  return `${lines.join('\n')}\n`;
}
