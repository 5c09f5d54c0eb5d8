const MIB = 1024 * 1024;

/** Limits on untrusted input. Anything larger is rejected, never truncated. */
export interface Limits {
  readonly manifestBytes: number;
  readonly configBytes: number;
  readonly tagPageBytes: number;
  readonly tagPages: number;
  /** Total of all pages of one list. */
  readonly tagListBytes: number;
  readonly tags: number;
  /** Total of all repositories in one run. */
  readonly tagsPerRun: number;
  readonly tokenBytes: number;
  readonly indexChildren: number;
  readonly indexDepth: number;
  readonly layers: number;
  /** For a layer that is read into memory. */
  readonly layerBytes: number;
  /** For a layer that is copied in chunks. */
  readonly copiedLayerBytes: number;
  readonly unpackedBytes: number;
  /** Ratio of uncompressed to compressed size, checked once `unpackRatioFromBytes` are unpacked. */
  readonly unpackRatio: number;
  readonly unpackRatioFromBytes: number;
  readonly zstdFrames: number;
  readonly zstdWindowBytes: number;
  /** Memory per run that the decoder leaks for damaged frames. */
  readonly zstdLeakedBytes: number;
  readonly tarEntries: number;
  readonly tarNameChars: number;
  /** Number of path segments. */
  readonly tarNameDepth: number;
  /** Total length of the names in one tar, or in all layers of an image without a base layer. */
  readonly tarNamesChars: number;
  readonly packageYamlBytes: number;
}

export const LIMITS: Limits = {
  manifestBytes: 4 * MIB,
  configBytes: 4 * MIB,
  tagPageBytes: 16 * MIB,
  tagPages: 1_000,
  tagListBytes: 64 * MIB,
  tags: 200_000,
  tagsPerRun: 500_000,
  tokenBytes: MIB,
  indexChildren: 1_000,
  indexDepth: 4,
  layers: 1_024,
  layerBytes: 512 * MIB,
  copiedLayerBytes: 16 * 1024 * MIB,
  unpackedBytes: 2_048 * MIB,
  unpackRatio: 400,
  unpackRatioFromBytes: 16 * MIB,
  zstdFrames: 10_000,
  // More than `zstd -19` uses.
  zstdWindowBytes: 32 * MIB,
  zstdLeakedBytes: 64 * MIB,
  tarEntries: 250_000,
  tarNameChars: 4_096,
  tarNameDepth: 256,
  tarNamesChars: 16 * MIB,
  packageYamlBytes: 200 * MIB,
};
