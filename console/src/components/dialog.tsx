import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { errorMessage } from '../api/client.ts';
import { Button } from './controls.tsx';

interface DialogProps {
  readonly title: string;
  /** The label of the submit button. */
  readonly action: string;
  readonly isDangerous?: boolean;
  /**
   * Called on submit. If it succeeds, the dialog closes; if it fails, the dialog stays open and shows the error. Without `run`, the
   * dialog only shows information.
   */
  readonly run?: () => Promise<unknown>;
  /** Whether the dialog closes after `run`. Default: true. */
  readonly closesAfterRun?: boolean;
  readonly close: () => void;
  readonly children: ComponentChildren;
}

/**
 * A modal dialog. The browser keeps the focus inside and closes the dialog with Escape. After closing, the focus returns to the
 * element that had it before.
 */
export const Dialog = ({
  title,
  action,
  isDangerous = false,
  run,
  closesAfterRun = true,
  close,
  children,
}: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const headingId = useId();
  const [state, setState] = useState<{ isBusy: boolean; error?: unknown }>({ isBusy: false });
  // A layout effect, because Preact runs its cleanup before it removes the element. The cleanup closes the dialog before it moves the
  // focus, because elements outside an open modal dialog cannot receive the focus.
  useLayoutEffect(() => {
    const element = dialog.current!;
    const focusedBefore = document.activeElement;
    element.showModal();
    return () => {
      element.close();
      if (focusedBefore instanceof HTMLElement) focusedBefore.focus();
    };
  }, []);
  // The `close` event arrives after the dialog was closed, and a request may end at any time. By then, another dialog may have replaced
  // this one, and `close` would close the other dialog.
  const closeIfMounted = () => {
    if (dialog.current) close();
  };
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!run) close();
    if (!run || state.isBusy) return;
    setState({ isBusy: true });
    try {
      await run();
      if (closesAfterRun) closeIfMounted();
      else setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error });
    }
  };
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby={headingId} onClose={closeIfMounted}>
      <form method="dialog" onSubmit={(event) => void submit(event)}>
        <h2 id={headingId}>{title}</h2>
        {children}
        {state.error !== undefined && (
          <div class="error-box" role="alert">
            {errorMessage(state.error)}
          </div>
        )}
        <div class="buttons">
          {run && <Button onClick={close}>Cancel</Button>}
          <Button type="submit" kind={isDangerous ? 'danger' : 'primary'} disabled={state.isBusy}>
            {state.isBusy ? 'One moment …' : action}
          </Button>
        </div>
      </form>
    </dialog>
  );
};
