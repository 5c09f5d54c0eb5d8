/** Numbers of requests to a source. */
export interface ReadCounts {
  /** Requested tag lists. */
  readonly listed: number;
  /** Package versions read, including prefetched versions that were not needed. */
  readonly fetched: number;
}

/** Statistics of one run, updated while it runs. */
export interface ReadStats extends ReadCounts {
  listed: number;
  fetched: number;
  /** Bytes read from the network. Registry connections update it; `SourceReader` updates the rest. */
  bytes: number;
  /** The last request; undefined: none yet. */
  latest: string | undefined;
}

export function noStats(): ReadStats {
  return { listed: 0, fetched: 0, bytes: 0, latest: undefined };
}
