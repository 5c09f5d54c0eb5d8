/**
 * The API that packages of the first format were recorded in, before there were Providers. Their
 * files are below `.registry/`; a meta document that is made of them has it as its `apiVersion`.
 */
export const DOT_REGISTRY_API = 'packages.crossplane.io/v1alpha1';

/** The folder that holds such a package, in an image and on disk. */
export const DOT_REGISTRY = '.registry';
