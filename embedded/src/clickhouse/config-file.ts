import { join } from 'node:path';
import { toXml, type Elements } from './xml.ts';

const MIB = 1024 * 1024;

export const dataPath = (dir: string): string => join(dir, 'data');

/** The server's configuration, sized for a laptop that also runs everything else. */
export const configFile = (dir: string, usersFile: string, maxMemoryBytes: number, doors: Elements): string =>
  toXml({
    clickhouse: {
      path: `${dataPath(dir)}/`,
      tmp_path: `${join(dir, 'tmp')}/`,
      users_config: usersFile,
      user_directories: { users_xml: { path: usersFile } },
      max_server_memory_usage: maxMemoryBytes,
      mark_cache_size: 128 * MIB,
      index_mark_cache_size: 32 * MIB,
      uncompressed_cache_size: 64 * MIB,
      background_pool_size: 4,
      // As it comes, every table looks for something to merge several times a second, for minutes after each insert, and each
      // such look takes another's turn. An insert is looked at when it comes; what is left over may wait for seconds.
      background_processing_pool_thread_sleep_seconds_if_nothing_to_do: 2,
      background_processing_pool_task_sleep_seconds_when_no_work_multiplier: 1.5,
      background_streaming_processing_pool_thread_sleep_seconds_if_nothing_to_do: 600,
      background_schedule_pool_max_parallel_tasks_per_type_ratio: 1,
      max_concurrent_queries: 100,
      // As it comes, up to a thousand threads stay after whatever was asked at once, for as long as the server lives.
      max_thread_pool_free_size: 32,
      // A stop waits for idle connections as long as this; @clickhouse/client drops its own after 2.5 s.
      keep_alive_timeout: 3,
      // Without it no setting could be changed by a user who is read-only, not even the form of dates.
      access_control_improvements: { settings_constraints_replace_previous: 1 },
      http_handlers: doors,
      logger: { log: join(dir, 'clickhouse.log'), size: '10M', count: 2 },
    },
  });
