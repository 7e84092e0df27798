import { z } from 'zod';

const Roles = z.union([z.string(), z.array(z.string())]);
/** `$r` read, `$w` write, `$d` delete, `$mr` read metadata, `$mw` write metadata. */
const AccessList = z.looseObject({
  $r: Roles.optional(),
  $w: Roles.optional(),
  $d: Roles.optional(),
  $mr: Roles.optional(),
  $mw: Roles.optional(),
});

/** The newest event of the stream `$settings` has the rights to streams that have no rights of their own. */
export const SystemSettings = z.looseObject({
  $userStreamAcl: AccessList.optional(),
  $systemStreamAcl: AccessList.optional(),
});
export type SystemSettings = z.output<typeof SystemSettings>;

/** The service reads `$all`, which is a system stream, so it needs a right to system streams. */
const neededRights = [
  ['$userStreamAcl', '$r'],
  ['$userStreamAcl', '$w'],
  ['$userStreamAcl', '$mr'],
  ['$systemStreamAcl', '$r'],
] as const;

/** A list replaces the default of EventStoreDB, which includes the administrators, so a new list also names them. */
const administrators = '$admins';
const everyone = '$all';

const listOf = (roles: z.output<typeof Roles> | undefined): readonly string[] | undefined =>
  typeof roles === 'string' ? [roles] : roles;

export const grantRights = (
  settings: SystemSettings,
  login: string,
): { readonly settings: SystemSettings; readonly changed: readonly string[] } => {
  const granted = structuredClone(settings);
  const changed: string[] = [];
  for (const [list, right] of neededRights) {
    const current = listOf(granted[list]?.[right]);
    if (current?.some((role) => role === login || role === everyone)) continue;
    granted[list] = { ...granted[list], [right]: [...(current ?? [administrators]), login] };
    changed.push(`${list}.${right}`);
  }
  return { settings: granted, changed };
};
