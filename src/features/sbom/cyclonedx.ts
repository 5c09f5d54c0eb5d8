import * as Enums from '@cyclonedx/cyclonedx-library/Enums';
import * as Models from '@cyclonedx/cyclonedx-library/Models';
import * as Serialize from '@cyclonedx/cyclonedx-library/Serialize';
import * as Spec from '@cyclonedx/cyclonedx-library/Spec';
import { lockGraph } from '../../project/lockfile/lock-graph.js';
import type { LockedPackage } from '../../project/lockfile/lockfile.js';
import { packagePurl, type SbomSubject, subjectUuid } from './subject.js';

/** Formats a lockfile as a CycloneDX 1.6 JSON document. */
export function cyclonedx(subject: SbomSubject): string {
  const { lockfile, name, created, tool } = subject;
  const bom = new Models.Bom({ serialNumber: `urn:uuid:${subjectUuid(subject)}` });
  const set = new Models.Component(Enums.ComponentType.Application, name, { bomRef: 'set' });
  set.properties.add(new Models.Property('xpkg:crossplane', lockfile.crossplane));
  bom.metadata.component = set;
  if (created !== undefined) bom.metadata.timestamp = created;
  bom.metadata.tools.components.add(
    new Models.Component(Enums.ComponentType.Application, 'xpkg-resolve', { version: tool }),
  );
  const components = new Map(
    lockfile.packages.map((locked) => [locked.repository, componentOf(locked)]),
  );
  const graph = lockGraph(lockfile);
  for (const locked of lockfile.packages) {
    const component = components.get(locked.repository)!;
    bom.components.add(component);
    for (const { to, constraint } of graph.requirementsOf(locked.repository)) {
      component.dependencies.add(components.get(to.repository)!.bomRef);
      component.properties.add(
        new Models.Property('xpkg:constraint', `${to.repository} ${constraint}`),
      );
    }
  }
  for (const { repository } of graph.starts) {
    set.dependencies.add(components.get(repository)!.bomRef);
  }
  const normalize = new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6);
  const serializer = new Serialize.JsonSerializer(normalize);
  return `${serializer.serialize(bom, { sortLists: true, space: 2 })}\n`;
}

function componentOf(locked: LockedPackage): Models.Component {
  const { repository, version, digest, kind, owns } = locked;
  const purl = packagePurl(locked);
  const [algorithm, hex] = digest?.split(':') ?? [];
  return new Models.Component(Enums.ComponentType.Container, repository, {
    version,
    purl,
    bomRef: purl,
    hashes: new Models.HashDictionary(
      algorithm === 'sha256' ? [[Enums.HashAlgorithm['SHA-256'], hex!]] : [],
    ),
    properties: new Models.PropertyRepository([
      new Models.Property('xpkg:kind', kind),
      ...owns.map((owned) => new Models.Property(`xpkg:owns:${owned.kind}`, owned.name)),
    ]),
  });
}
