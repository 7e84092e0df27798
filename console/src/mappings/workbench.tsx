import { useState } from 'preact/hooks';
import { errorMessage, ops, responseData } from '../api/client.ts';
import type { Mapping, TestedMapping } from '../api/types.ts';
import { Button, Select } from '../components/controls.tsx';
import { showNotice } from '../components/notices.tsx';
import { SampleReport } from './sample-report.tsx';

const formats = [
  ['ndjson', 'NDJSON'],
  ['json', 'JSON list'],
  ['csv', 'CSV'],
] as const;
type Format = (typeof formats)[number][0];

/** The server validates the content. */
const parseMapping = (text: string): Mapping => {
  try {
    return JSON.parse(text) as Mapping;
  } catch (error) {
    throw new Error(`The mapping is not valid JSON: ${errorMessage(error)}`);
  }
};

interface WorkbenchProps {
  /** As JSON. */
  readonly initial: string;
  readonly onSaved: () => void;
}

export const Workbench = ({ initial, onSaved }: WorkbenchProps) => {
  const [text, setText] = useState(initial);
  const [sample, setSample] = useState('');
  const [format, setFormat] = useState<Format>('ndjson');
  const [report, setReport] = useState<TestedMapping>();
  const [state, setState] = useState<{ readonly isBusy: boolean; readonly error?: string }>({ isBusy: false });
  const run = async (work: () => Promise<void>) => {
    setState({ isBusy: true });
    try {
      await work();
      setState({ isBusy: false });
    } catch (error) {
      setState({ isBusy: false, error: errorMessage(error) });
    }
  };
  const test = () =>
    run(async () => {
      setReport(undefined);
      const body = { mapping: parseMapping(text), format, sample };
      setReport(await responseData(ops.POST('/ops/v1/mappings/test', { body })));
    });
  const save = () =>
    run(async () => {
      const saved = await responseData(ops.POST('/ops/v1/mappings', { body: parseMapping(text) }));
      const outcome = saved.changed ? 'is in force' : 'was in force already';
      showNotice('good', `${saved.vendor} ${saved.schema_version}: version ${saved.version} ${outcome}.`);
      onSaved();
    });
  return (
    <>
      <div class="workbench">
        <div class="field">
          <label for="mapping">Mapping (JSON)</label>
          <textarea
            id="mapping"
            class="mono"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </div>
        <div class="field">
          <label for="sample">Sample, as the vendor sends it</label>
          <textarea
            id="sample"
            class="mono"
            spellcheck={false}
            value={sample}
            onInput={({ currentTarget }) => setSample(currentTarget.value)}
          />
        </div>
      </div>
      <div class="filters">
        <Select
          label="Format of the sample"
          value={format}
          options={formats}
          onSelect={(value) => setFormat(value as Format)}
        />
        <div class="buttons">
          <Button kind="primary" disabled={state.isBusy || sample.trim() === ''} onClick={() => void test()}>
            Try
          </Button>
          <Button needs="operator" disabled={state.isBusy} onClick={() => void save()}>
            Save as a new version
          </Button>
        </div>
      </div>
      <div role="alert">{state.error !== undefined && <div class="error-box">{state.error}</div>}</div>
      {report && <SampleReport report={report} />}
    </>
  );
};
