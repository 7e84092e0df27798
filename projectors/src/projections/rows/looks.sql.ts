/**
 * Looks with gaps up to `gap` ms closed, cut to [from, to): `look_starts` and `look_ends` in ms since 1970.
 * The arrays given are sorted and do not overlap, so only neighbours can be joined.
 */
export const cutLooks = (starts: string, ends: string, gap: string, from: string, to: string): string => `
        arrayMap(t -> toUnixTimestamp64Milli(t), ${starts}) AS starts_ms,
        arrayMap(t -> toUnixTimestamp64Milli(t), ${ends}) AS ends_ms,
        arrayMap(i -> i > 1 AND starts_ms[i] - ends_ms[i - 1] > ${gap}, arrayEnumerate(starts_ms)) AS breaks,
        arrayMap(look -> greatest(look[1], ${from}), arraySplit((s, b) -> b, starts_ms, breaks)) AS merged_starts,
        arrayMap(look -> least(look[-1], ${to}), arraySplit((e, b) -> b, ends_ms, breaks)) AS merged_ends,
        arrayFilter((f, t) -> t > f, merged_starts, merged_ends) AS look_starts,
        arrayFilter((t, f) -> t > f, merged_ends, merged_starts) AS look_ends`;
