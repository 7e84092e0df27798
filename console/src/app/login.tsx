import { useEffect, useRef, useState } from 'preact/hooks';
import { ApiError, errorMessage } from '../api/client.ts';
import { Button } from '../components/controls.tsx';
import { Brand } from '../components/icon.tsx';
import { formatCount } from '../format/numbers.ts';

import { signIn } from './session.ts';

const loginError = (error: unknown): string => {
  if (!(error instanceof ApiError)) return errorMessage(error);
  const { status, retryAfterSeconds } = error.details;
  if (status === 401) return 'This is not the operator token.';
  if (status === 429) return `Too many attempts. Try again in ${formatCount(retryAfterSeconds, 'second')}.`;
  return error.message;
};

export const Login = () => {
  const tokenField = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<{ isBusy: boolean; error?: string }>({ isBusy: false });
  useEffect(() => {
    document.title = 'Sign in · popsvc operations';
    tokenField.current?.focus();
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const token = tokenField.current?.value.trim() ?? '';
    if (token === '' || state.isBusy) return;
    setState({ isBusy: true });
    try {
      await signIn(token);
    } catch (error) {
      setState({ isBusy: false, error: loginError(error) });
      tokenField.current?.select();
    }
  };
  return (
    <main class="login">
      <form onSubmit={(event) => void submit(event)}>
        <h1 class="brand">
          <Brand />
        </h1>
        {/* A hidden user name, under which password managers store the token. */}
        <input type="text" name="username" autoComplete="username" value="operator" hidden readOnly />
        <div class="field">
          <label for="token">Operator token</label>
          <input
            id="token"
            ref={tokenField}
            type="password"
            autoComplete="current-password"
            spellcheck={false}
            required
            aria-invalid={state.error !== undefined}
            aria-describedby="token-about"
          />
          <small id="token-about">
            The value of <code>POPSVC_OPERATOR_TOKEN</code>. With embedded engines, <code>npm start</code> writes it to{' '}
            <code>demo-credentials.json</code> in the data folder.
          </small>
        </div>
        <div role="alert">{state.error !== undefined && <div class="error-box">{state.error}</div>}</div>
        <Button type="submit" kind="primary" disabled={state.isBusy}>
          {state.isBusy ? 'One moment …' : 'Sign in'}
        </Button>
      </form>
    </main>
  );
};
