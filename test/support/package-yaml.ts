/** Returns a package.yaml with a meta document and a CRD for each name. */
export function providerYaml(name: string, ...crds: readonly string[]): string {
  return [
    `apiVersion: meta.pkg.crossplane.io/v1\nkind: Provider\nmetadata:\n  name: ${name}\n`,
    ...crds.map(
      (crd) =>
        `apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: ${crd}\n`,
    ),
  ].join('---\n');
}
