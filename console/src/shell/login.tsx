import { useEffect, useRef, useState } from 'preact/hooks';
import { Refused, sentenceOf } from '../api/refused.ts';
import { Button } from '../parts/button.tsx';
import { counted } from '../parts/numbers.ts';
import { Brand } from './brand.tsx';
import { signIn } from './sign-in.ts';

const complaintOf = (error: unknown): string => {
  if (!(error instanceof Refused)) return sentenceOf(error);
  if (error.status === 401) return 'That is not the operator token.';
  if (error.status === 429) return `Too many attempts. Try again in ${counted(error.retryAfter, 'second')}.`;
  return error.message;
};

export const Login = () => {
  const field = useRef<HTMLInputElement>(null);
  const [state, setState] = useState<{ isBusy: boolean; complaint?: string }>({ isBusy: false });
  useEffect(() => {
    document.title = 'Sign in · popsvc operations';
    field.current?.focus();
  }, []);
  const submit = async (event: Event) => {
    event.preventDefault();
    const token = field.current?.value.trim() ?? '';
    if (token === '' || state.isBusy) return;
    setState({ isBusy: true });
    try {
      await signIn(token);
    } catch (error) {
      setState({ isBusy: false, complaint: complaintOf(error) });
      field.current?.select();
    }
  };
  return (
    <main class="door">
      <form onSubmit={(event) => void submit(event)}>
        <h1 class="brand">
          <Brand />
        </h1>
        {/* Whose token it is, for what keeps passwords. */}
        <input type="text" name="username" autoComplete="username" value="operator" hidden readOnly />
        <div class="field">
          <label for="token">Operator token</label>
          <input
            id="token"
            ref={field}
            type="password"
            autoComplete="current-password"
            spellcheck={false}
            required
            aria-invalid={state.complaint !== undefined}
            aria-describedby="token-about"
          />
          <small id="token-about">
            The value of <code>POPSVC_OPERATOR_TOKEN</code>. A service on embedded engines wrote it to{' '}
            <code>demo-credentials.json</code> in its data folder.
          </small>
        </div>
        <div role="alert">{state.complaint !== undefined && <div class="wrong">{state.complaint}</div>}</div>
        <Button type="submit" kind="main" disabled={state.isBusy}>
          {state.isBusy ? 'One moment …' : 'Sign in'}
        </Button>
      </form>
    </main>
  );
};
