import { sha256 } from '../../base/digest.js';
import { lockGraph } from '../../project/lockfile/lock-graph.js';
import type { LockedPackage } from '../../project/lockfile/lockfile.js';
import { packageName } from '../../crossplane/packages/repository-names.js';
import { packagePurl, type SbomSubject, subjectUuid } from './subject.js';

/** The date if none is known; SPDX requires one. */
const NO_DATE = new Date(0);
const SET_ID = 'SPDXRef-set';

/** Formats a lockfile as an SPDX 2.3 JSON document. */
export function spdx(subject: SbomSubject): string {
  const { lockfile, name, created = NO_DATE, tool } = subject;
  const graph = lockGraph(lockfile);
  const document = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name,
    documentNamespace: `urn:uuid:${subjectUuid(subject)}`,
    creationInfo: {
      created: created.toISOString().replace(/\.\d+Z$/, 'Z'),
      creators: [`Tool: xpkg-resolve-${tool}`],
    },
    documentDescribes: [SET_ID],
    packages: [
      {
        SPDXID: SET_ID,
        name,
        downloadLocation: 'NOASSERTION',
        filesAnalyzed: false,
        primaryPackagePurpose: 'APPLICATION',
        comment: `for Crossplane ${lockfile.crossplane}`,
      },
      ...lockfile.packages.map(packageOf),
    ],
    relationships: [
      relationship('SPDXRef-DOCUMENT', 'DESCRIBES', SET_ID),
      ...graph.starts.map((start) => relationship(SET_ID, 'DEPENDS_ON', idOf(start))),
      ...lockfile.packages.flatMap((locked) =>
        graph
          .requirementsOf(locked.repository)
          .map(({ to, constraint }) =>
            relationship(idOf(locked), 'DEPENDS_ON', idOf(to), constraint),
          ),
      ),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function packageOf(locked: LockedPackage): object {
  const { repository, version, digest, kind, owns } = locked;
  const owned = owns.map((one) => `${one.kind} ${one.name}`);
  return {
    SPDXID: idOf(locked),
    name: repository,
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    primaryPackagePurpose: 'CONTAINER',
    checksums: digest && [{ algorithm: 'SHA256', checksumValue: digest.split(':')[1]! }],
    externalRefs: [
      {
        referenceCategory: 'PACKAGE-MANAGER',
        referenceType: 'purl',
        referenceLocator: packagePurl(locked),
      },
    ],
    comment: [kind, ...(owned.length === 0 ? [] : [`owns ${owned.join(', ')}`])].join('; '),
  };
}

/** Returns an SPDX identifier. It may only contain letters, digits, `.` and `-`; a hash keeps it unique. */
function idOf({ repository }: LockedPackage): string {
  const hash = sha256(repository).slice('sha256:'.length).slice(0, 16);
  return `SPDXRef-${packageName(repository).replaceAll(/[^A-Za-z0-9.-]/g, '-')}-${hash}`;
}

function relationship(from: string, type: string, to: string, constraint?: string): object {
  return {
    spdxElementId: from,
    relationshipType: type,
    relatedSpdxElement: to,
    comment: constraint,
  };
}
