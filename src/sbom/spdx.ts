import { createHash } from 'node:crypto';
import { lockGraph } from '../lock/lock-graph.js';
import type { LockedPackage } from '../lock/lockfile.js';
import { packagePurl } from './package-purl.js';
import { subjectUuid, type SbomSubject } from './sbom-subject.js';

/** A date is wanted; where none is known, one that shows that. */
const NO_DATE = new Date(0);
const SET_ID = 'SPDXRef-set';

/** A lockfile as a bill of materials in SPDX 2.3, JSON. */
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
    ...(digest === undefined
      ? {}
      : { checksums: [{ algorithm: 'SHA256', checksumValue: digest.split(':')[1]! }] }),
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

/** Letters, digits, `.` and `-` alone may be in an identifier, so it is made of a hash. */
function idOf({ repository }: LockedPackage): string {
  const hash = createHash('sha256').update(repository).digest('hex').slice(0, 16);
  const name = repository.slice(repository.lastIndexOf('/') + 1).replaceAll(/[^A-Za-z0-9.-]/g, '-');
  return `SPDXRef-${name}-${hash}`;
}

function relationship(from: string, type: string, to: string, constraint?: string): object {
  return {
    spdxElementId: from,
    relationshipType: type,
    relatedSpdxElement: to,
    ...(constraint === undefined ? {} : { comment: constraint }),
  };
}
