import { useState } from 'preact/hooks';
import { ops, responseData } from '../api/client.ts';
import type { AppliedRegistry, RegistryFile } from '../api/types.ts';
import { Button, Checkbox } from '../components/controls.tsx';
import { Dialog } from '../components/dialog.tsx';
import { showNotice } from '../components/notices.tsx';
import { formatWhole } from '../format/numbers.ts';

type Change = AppliedRegistry['changes'][number];

const maxShownChanges = 200;

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const ChangeItem = ({ change: { kind, key, change, fields } }: { readonly change: Change }) => (
  <li>
    <b>
      {change} {kind} {key}
    </b>
    {Object.entries(fields).map(([name, { from, to }]) => (
      <span key={name} class="sub">
        {name}: {change === 'created' ? '' : `${valueText(from)} → `}
        {valueText(to)}
      </span>
    ))}
  </li>
);

const Changes = ({ changes }: { readonly changes: readonly Change[] }) =>
  changes.length === 0 ? (
    <p>The file changes nothing.</p>
  ) : (
    <>
      <p>{formatWhole(changes.length)} changes:</p>
      <ul class="changes" tabIndex={0} aria-label="Changes">
        {changes.slice(0, maxShownChanges).map((change) => (
          <ChangeItem key={`${change.kind} ${change.key} ${change.change}`} change={change} />
        ))}
      </ul>
      {changes.length > maxShownChanges && <p>The first {formatWhole(maxShownChanges)} are shown.</p>}
    </>
  );

/** Reads JSON only. A file in YAML needs the command line. */
const readFile = async (file: File): Promise<RegistryFile> => {
  const bytes = await file.arrayBuffer();
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${file.name} is not UTF-8. Save the file as UTF-8.`);
  }
  try {
    return JSON.parse(text) as RegistryFile;
  } catch (error) {
    throw new Error(`${file.name} is not valid JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
};

interface UploadDialogProps {
  readonly close: () => void;
  readonly onApplied: () => void;
}

const UploadDialog = ({ close, onApplied }: UploadDialogProps) => {
  const [file, setFile] = useState<File>();
  const [restate, setRestate] = useState(false);
  const [preview, setPreview] = useState<{ readonly body: RegistryFile; readonly changes: readonly Change[] }>();
  const send = async (body: RegistryFile, isDryRun: boolean) => {
    const params = { query: { dry_run: isDryRun, restate } };
    return responseData(ops.POST('/ops/v1/registry', { params, body }));
  };
  const showChanges = async () => {
    if (!file) throw new Error('Choose a file.');
    const body = await readFile(file);
    setPreview({ body, changes: (await send(body, true)).changes });
  };
  const apply = async () => {
    if (!preview) return;
    const { changes } = await send(preview.body, false);
    showNotice('good', `The registry is updated: ${formatWhole(changes.length)} changes.`);
    onApplied();
  };
  return preview ? (
    <Dialog key="apply" title={`Apply ${file?.name ?? 'the file'}?`} action="Apply" run={apply} close={close}>
      <Changes changes={preview.changes} />
    </Dialog>
  ) : (
    <Dialog
      key="choose"
      title="Upload a registry file"
      action="Show the changes"
      run={showChanges}
      closesAfterRun={false}
      close={close}
    >
      <div class="field">
        <label for="registry-file">File (JSON)</label>
        <input
          id="registry-file"
          type="file"
          accept=".json,application/json"
          required
          onChange={({ currentTarget }) => setFile(currentTarget.files?.[0])}
        />
      </div>
      <Checkbox label="Allow thresholds effective in the past" isChecked={restate} onToggle={setRestate}>
        Recomputes existing data of the reports.
      </Checkbox>
      <p>
        Nothing is changed until you have seen the changes and applied them. For a file in YAML use{' '}
        <code>npx popsvc registry apply FILE</code>.
      </p>
    </Dialog>
  );
};

interface RegistryUploadProps {
  readonly isOpen: boolean;
  readonly setIsOpen: (isOpen: boolean) => void;
  readonly onApplied: () => void;
}

export const RegistryUpload = ({ isOpen, setIsOpen, onApplied }: RegistryUploadProps) => (
  <>
    <Button kind="primary" needs="operator" onClick={() => setIsOpen(true)}>
      Upload a file
    </Button>
    {isOpen && <UploadDialog close={() => setIsOpen(false)} onApplied={onApplied} />}
  </>
);
