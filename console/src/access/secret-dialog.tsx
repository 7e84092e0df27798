import { Dialog } from '../components/dialog.tsx';

export interface Secret {
  readonly title: string;
  /** The names and values to keep. */
  readonly values: Readonly<Record<string, string>>;
  readonly note?: string | undefined;
}

interface SecretDialogProps {
  readonly secret: Secret;
  readonly close: () => void;
}

/** Shows a secret that the service does not show again. */
export const SecretDialog = ({ secret: { title, values, note }, close }: SecretDialogProps) => (
  <Dialog title={title} action="Done" close={close}>
    <p>Keep it now: it is not shown again.</p>
    <dl class="secrets">
      {Object.entries(values).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <code>{value}</code>
          </dd>
        </div>
      ))}
    </dl>
    {note !== undefined && <p>{note}</p>}
  </Dialog>
);
