import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, errorMessage, ops, responseData } from '../api/client.ts';
import { Button } from '../components/controls.tsx';
import { Brand } from '../components/icon.tsx';
import { formatCount } from '../format/numbers.ts';
import { storedValue } from '../state/stored-value.ts';
import { route } from '../state/route.ts';
import { useResource } from '../state/resource.ts';
import { signIn, signInWithProvider } from './session.ts';

type Method = 'token' | 'account';

const storedMethod = storedValue('popsvc-sign-in');

const rejections: Readonly<Record<Method, string>> = {
  token: 'This is not the operator token.',
  account: 'The account or the password is not valid.',
};

const loginError = (error: unknown, method: Method): string => {
  if (!(error instanceof ApiError)) return errorMessage(error);
  const { status, retryAfterSeconds } = error.details;
  if (status === 401) return rejections[method];
  if (status === 429) return `Too many attempts. Try again in ${formatCount(retryAfterSeconds, 'second')}.`;
  return error.message;
};

const providerFailures: Readonly<Record<string, string>> = {
  expired: 'The sign-in took too long. Try again.',
  'role-missing': 'The provider knows you, but gives you no role here. Ask an administrator of the provider.',
  failed: 'The sign-in with the provider failed. Try again; the log of the service has the reason.',
};

const secretAttributes = {
  type: 'password',
  autoComplete: 'current-password',
  spellcheck: false,
  required: true,
} as const;

const TokenField = ({ isInvalid }: { readonly isInvalid: boolean }) => (
  <>
    {/* A hidden user name, under which password managers store the token. */}
    <input type="text" name="username" autoComplete="username" value="operator" hidden readOnly />
    <div class="field">
      <label for="token">Operator token</label>
      <input id="token" name="token" {...secretAttributes} aria-invalid={isInvalid} aria-describedby="token-about" />
      <small id="token-about">
        The value of <code>POPSVC_OPERATOR_TOKEN</code>. Without this variable, it is <code>operatorToken</code> in{' '}
        <code>secrets.json</code> in the data folder.
      </small>
    </div>
  </>
);

const AccountFields = ({ isInvalid }: { readonly isInvalid: boolean }) => (
  <>
    <div class="field">
      <label for="account">Account</label>
      <input
        id="account"
        name="account"
        autoComplete="username"
        autoCapitalize="none"
        spellcheck={false}
        required
        aria-invalid={isInvalid}
      />
    </div>
    <div class="field">
      <label for="password">Password</label>
      <input id="password" name="password" {...secretAttributes} aria-invalid={isInvalid} />
    </div>
  </>
);

export const Login = () => {
  const form = useRef<HTMLFormElement>(null);
  const [method, setMethod] = useState<Method>(storedMethod.read() === 'account' ? 'account' : 'token');
  const [state, setState] = useState<{ isBusy: boolean; error?: string }>(() => {
    const failure = providerFailures[route.value.query.get('sign-in') ?? ''];
    return { isBusy: false, ...(failure !== undefined && { error: failure }) };
  });
  const signInMethods = useResource('sign-in methods', (signal) =>
    responseData(ops.GET('/ops/v1/session/methods', { signal })),
  );
  const firstField = () => form.current?.querySelector<HTMLInputElement>('input:not([hidden])');
  useEffect(() => {
    document.title = 'Sign in · popsvc operations';
  }, []);
  useEffect(() => firstField()?.focus(), [method]);
  const choose = (chosen: Method) => {
    storedMethod.write(chosen);
    setMethod(chosen);
    setState({ isBusy: false });
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    const fields = new FormData(form.current!);
    const valueOf = (name: string) => (fields.get(name) as string | null)?.trim() ?? '';
    if (state.isBusy) return;
    setState({ isBusy: true });
    try {
      await signIn(
        method === 'token'
          ? { token: valueOf('token') }
          : { account: valueOf('account'), password: valueOf('password') },
      );
    } catch (error) {
      setState({ isBusy: false, error: loginError(error, method) });
      form.current?.querySelector<HTMLInputElement>('input[type="password"]')?.select();
    }
  };
  const other = method === 'token' ? 'account' : 'token';
  const isInvalid = state.error !== undefined;
  return (
    <main class="login">
      <form ref={form} onSubmit={(event) => void submit(event)}>
        <h1 class="brand">
          <Brand />
        </h1>
        {method === 'token' ? <TokenField isInvalid={isInvalid} /> : <AccountFields isInvalid={isInvalid} />}
        <div role="alert">{state.error !== undefined && <div class="error-box">{state.error}</div>}</div>
        <Button type="submit" kind="primary" disabled={state.isBusy}>
          {state.isBusy ? 'One moment …' : 'Sign in'}
        </Button>
        {signInMethods.data?.oidc === true && <Button onClick={signInWithProvider}>Sign in with single sign-on</Button>}
        <Button kind="quiet" onClick={() => choose(other)}>
          {other === 'account' ? 'Use an account instead' : 'Use the token instead'}
        </Button>
      </form>
    </main>
  );
};
