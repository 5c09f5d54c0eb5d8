import type { RequestEdit, PackageRoot, Request } from '../../src/project/inputs/request.js';
import { formatOrigin, type Origin } from '../../src/base/errors.js';

/** A request with the edits of a suggestion, and the options that they change. */
export interface EditedRequest {
  readonly request: Request;
  readonly crossplane: string;
  readonly prereleases: readonly string[];
  readonly allowCycles: boolean;
}

/** Applies the edits of a suggestion; returns undefined if one of them changes a policy. */
export function editedRequest(
  given: EditedRequest,
  edits: readonly RequestEdit[],
): EditedRequest | undefined {
  return edits.reduce<EditedRequest | undefined>(
    (edited, edit) => edited && withEdit(edited, edit),
    given,
  );
}

function withEdit(given: EditedRequest, edit: RequestEdit): EditedRequest | undefined {
  const { request } = given;
  const changing = (at: Origin, change: Partial<PackageRoot>) => ({
    ...given,
    request: {
      ...request,
      roots: request.roots.map((root) =>
        root.root === 'package' && isAt(root, at) ? { ...root, ...change } : root,
      ),
    },
  });
  const origin = { file: 'suggestion' };
  switch (edit.edit) {
    case 'version':
      return changing(edit.at, { version: { form: 'text', text: edit.version } });
    case 'kind':
      return changing(edit.at, { kind: edit.kind });
    case 'repository':
      return changing(edit.at, { repository: edit.to });
    case 'remove': {
      const stays = (one: { readonly origin: Origin }) => !isAt(one, edit.at);
      const roots = request.roots.filter(stays);
      const [overrides, exclude] = [request.overrides.filter(stays), request.exclude.filter(stays)];
      return { ...given, request: { ...request, roots, overrides, exclude } };
    }
    case 'override':
      return {
        ...given,
        request: { ...request, overrides: [...request.overrides, { ...edit, origin }] },
      };
    case 'replace':
      return {
        ...given,
        request: { ...request, replace: [...request.replace, { ...edit, origin }] },
      };
    case 'prerelease':
      return { ...given, prereleases: [...given.prereleases, edit.repository] };
    case 'crossplane':
      return { ...given, crossplane: edit.version };
    case 'allow-cycles':
      return { ...given, allowCycles: true };
    case 'age-exceptions':
      return undefined;
  }
}

function isAt({ origin }: { readonly origin: Origin }, at: Origin): boolean {
  return formatOrigin(origin) === formatOrigin(at);
}
