import { signal } from '@preact/signals';
import type { paths } from '../generated/ops.ts';

type Session = paths['/ops/v1/session']['get']['responses'][200]['content']['application/json'];
export type Role = Session['role'];

/** Undefined until the server has responded. */
export const operator = signal<Session | undefined>(undefined);

/** A role includes the rights of all roles with a lower rank. */
const rank: Readonly<Record<Role, number>> = { viewer: 0, operator: 1, admin: 2 };

/** The server checks the role again. */
export const hasRole = (role: Role): boolean => operator.value !== undefined && rank[operator.value.role] >= rank[role];
