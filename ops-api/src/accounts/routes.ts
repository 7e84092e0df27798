import { ApiError } from '@popsvc/contracts/errors';
import { Instant } from '@popsvc/contracts/time';
import { OPERATOR_ROLES } from '@popsvc/contracts/vocabulary';
import { type AccountWatch, generatePassword, hashPassword } from '@popsvc/http-kit/auth';
import { jsonResponse, noParameters, parseBody, type Route } from '@popsvc/http-kit/server';
import {
  type AccountRecord,
  deleteAccount,
  insertAccount,
  listAccounts,
  type Postgres,
  setAccountPassword,
  setAccountRole,
} from '@popsvc/platform/postgres';
import { z } from 'zod';
import { operatorTokenActor } from '../audit/audit-log.ts';

export interface AccountsDependencies {
  readonly postgres: Postgres;
  readonly accounts: Pick<AccountWatch, 'refresh'>;
}

const AccountName = z
  .string()
  .regex(/^[a-z][a-z0-9._@+-]{1,63}$/, 'must be 2 to 64 lower case letters, digits and . _ @ + -, a letter first')
  .refine((name) => name !== operatorTokenActor, 'names the operator token in the audit log');

const Role = z.enum(OPERATOR_ROLES).describe('Each role includes the rights of the roles before it.');
const AccountPath = z.object({ name: z.string().describe('The name of the account.') });
const NewAccount = z.strictObject({ name: AccountName.describe('The name to sign in with.'), role: Role });
const NewRole = z.strictObject({ role: Role });

const accountFields = {
  name: z.string().describe('The name to sign in with.'),
  role: Role,
  created_at: Instant.describe('When the account was created.'),
  changed_at: Instant.describe('When its role or password was last changed.'),
};
const Account = z.object(accountFields).meta({ id: 'Account' });
const AccountWithPassword = z
  .object({ ...accountFields, password: z.string().describe('Only this response contains it.') })
  .meta({ id: 'AccountWithPassword' });

const toAccount = ({ name, role, createdAt, changedAt }: AccountRecord) => ({
  name,
  role,
  created_at: createdAt,
  changed_at: changedAt,
});

const requireAccount = (record: AccountRecord | undefined): AccountRecord => {
  if (!record) throw new ApiError('NOT_FOUND', 'There is no account with this name.');
  return record;
};

const path = '/ops/v1/accounts';

const listAccountsRoute = ({ postgres }: AccountsDependencies): Route => ({
  method: 'get',
  path,
  summary: 'The local accounts of operators, without their passwords.',
  operationId: 'listAccounts',
  access: 'admin',
  examples: [{ name: 'all' }],
  schemas: { query: noParameters, responses: { 200: z.array(Account) } },
  async handle() {
    return jsonResponse(200, (await listAccounts(postgres)).map(toAccount));
  },
});

const createAccountRoute = ({ postgres, accounts }: AccountsDependencies): Route => ({
  method: 'post',
  path,
  summary: 'Creates a local account for the console. Only this response contains its password.',
  operationId: 'createAccount',
  access: 'admin',
  body: 'json',
  examples: [{ name: 'aViewer', body: { name: 'jane', role: 'viewer' } }],
  schemas: { query: noParameters, body: NewAccount, responses: { 201: AccountWithPassword } },
  errorCodes: ['CONFLICT'],
  async handle({ body, log }) {
    const { name, role } = parseBody(NewAccount, body);
    const password = generatePassword();
    const record = await insertAccount(postgres, { name, role, passwordHash: await hashPassword(password) });
    if (!record) throw new ApiError('CONFLICT', `There is an account ${name} already.`);
    await accounts.refresh();
    log.info({ account: name, role }, 'account created');
    return jsonResponse(201, { ...toAccount(record), password });
  },
});

const setRoleRoute = ({ postgres, accounts }: AccountsDependencies): Route => ({
  method: 'put',
  path: `${path}/:name/role`,
  summary: 'Sets the role of an account and ends its sessions within 2 s; the same role again changes nothing.',
  operationId: 'setAccountRole',
  access: 'admin',
  body: 'json',
  examples: [{ name: 'toOperator', params: { name: 'jane' }, body: { role: 'operator' } }],
  schemas: { params: AccountPath, query: noParameters, body: NewRole, responses: { 200: Account } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, body, log }) {
    const { role } = parseBody(NewRole, body);
    const record = requireAccount(await setAccountRole(postgres, params['name'] ?? '', role));
    await accounts.refresh();
    log.info({ account: record.name, role }, 'account role set');
    return jsonResponse(200, toAccount(record));
  },
});

const resetPasswordRoute = ({ postgres, accounts }: AccountsDependencies): Route => ({
  method: 'post',
  path: `${path}/:name/password`,
  summary:
    'Gives an account a new password and ends its sessions within 2 s. Only this response contains the password.',
  operationId: 'resetAccountPassword',
  access: 'admin',
  examples: [{ name: 'one', params: { name: 'jane' } }],
  schemas: { params: AccountPath, query: noParameters, responses: { 200: AccountWithPassword } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, log }) {
    const password = generatePassword();
    const hash = await hashPassword(password);
    const record = requireAccount(await setAccountPassword(postgres, params['name'] ?? '', hash));
    await accounts.refresh();
    log.info({ account: record.name }, 'account password reset');
    return jsonResponse(200, { ...toAccount(record), password });
  },
});

const deleteAccountRoute = ({ postgres, accounts }: AccountsDependencies): Route => ({
  method: 'delete',
  path: `${path}/:name`,
  summary: 'Deletes an account and ends its sessions within 2 s.',
  operationId: 'deleteAccount',
  access: 'admin',
  examples: [{ name: 'one', params: { name: 'jane' } }],
  schemas: { params: AccountPath, query: noParameters, responses: { 200: Account } },
  errorCodes: ['NOT_FOUND'],
  async handle({ params, log }) {
    const record = requireAccount(await deleteAccount(postgres, params['name'] ?? ''));
    await accounts.refresh();
    log.info({ account: record.name }, 'account deleted');
    return jsonResponse(200, toAccount(record));
  },
});

export const accountsRoutes = (dependencies: AccountsDependencies): readonly Route[] => [
  listAccountsRoute(dependencies),
  createAccountRoute(dependencies),
  setRoleRoute(dependencies),
  resetPasswordRoute(dependencies),
  deleteAccountRoute(dependencies),
];
