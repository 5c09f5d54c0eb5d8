import type { NodeKind } from '../package-graph.js';

/** Colours of formats that have no style sheet: what fills a node, and its border. */
export const PALETTE: Readonly<Record<NodeKind, { readonly fill: string; readonly line: string }>> =
  {
    Configuration: { fill: '#ede9fe', line: '#6d28d9' },
    Provider: { fill: '#dbeafe', line: '#1d4ed8' },
    Function: { fill: '#dcfce7', line: '#15803d' },
    Package: { fill: '#f3f4f6', line: '#4b5563' },
    Input: { fill: '#fef3c7', line: '#b45309' },
    API: { fill: '#cffafe', line: '#0e7490' },
    Crossplane: { fill: '#e5e7eb', line: '#1f2937' },
  };

/** What cannot be. */
export const CLASH = { fill: '#fee2e2', line: '#b91c1c' };

/** What was added and what is gone, of a diff. */
export const ADDED = '#15803d';
export const REMOVED = '#6b7280';
