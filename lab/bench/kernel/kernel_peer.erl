%% The same workloads on Erlang/OTP: one gen_server for each actor, a supervisor where actors crash.
%% kernel_peer:main(["fan_out", "1000", "100"]) prints one JSON document and ends the emulator.
-module(kernel_peer).
-behaviour(gen_server).

-export([main/1, start_link/2]).
-export([init/1, handle_call/3, handle_cast/2]).

-define(PATIENCE_MS, 240000).

main([Workload | Sizes]) ->
    logger:set_primary_config(level, none),
    Numbers = [list_to_integer(Size) || Size <- Sizes],
    Fields = [io_lib:format("\"~s\": ~w", [Name, Value]) || {Name, Value} <- run(Workload, Numbers)],
    io:format("{~s}~n", [lists:join(", ", Fields)]),
    halt(0).

run("request_reply", [Clients, Servers, Questions]) -> request_reply(Clients, Servers, Questions);
run("fan_out", [Actors, Messages]) -> fan_out(Actors, Messages);
run("idle_bytes", [Actors]) -> idle_bytes(Actors);
run("crash_storm", [Messages, Actors]) -> crash_storm(Messages, Actors);
run("restart_latency", [Restarts]) -> restart_latency(Restarts).

%% measuring

watch() ->
    {erlang:monotonic_time(nanosecond), element(1, erlang:statistics(runtime))}.

per_message(Count, {Wall, Cpu}) ->
    {WallNow, CpuNow} = watch(),
    [{"messages", Count},
     {"msg_per_s", Count * 1.0e9 / (WallNow - Wall)},
     {"cpu_us", (CpuNow - Cpu) * 1000 / Count}].

await(_What, 0) -> ok;
await(What, Left) ->
    receive
        What -> await(What, Left - 1)
    after ?PATIENCE_MS -> halt(3)
    end.

rss() ->
    {ok, Text} = file:read_file("/proc/self/statm"),
    [_, Pages | _] = string:lexemes(Text, " "),
    binary_to_integer(Pages) * 4096.

percentile(Share, Values) ->
    lists:nth(min(length(Values), trunc(Share * length(Values)) + 1), lists:sort(Values)).

start(State) ->
    {ok, Pid} = gen_server:start_link(?MODULE, State, []),
    Pid.

counters(Actors, Messages) ->
    Main = self(),
    Pids = [start({counter, Main, -1, Messages}) || _ <- lists:seq(1, Actors)],
    lists:foreach(fun(Pid) -> gen_server:cast(Pid, ping) end, Pids),
    await(awake, Actors),
    Pids.

%% workloads

request_reply(Clients, Servers, Questions) ->
    Main = self(),
    Answering = list_to_tuple([start(server) || _ <- lists:seq(1, Servers)]),
    Asking = [start({client, Main, element(N rem Servers + 1, Answering), Questions}) || N <- lists:seq(1, Clients)],
    Watch = watch(),
    lists:foreach(fun(Client) -> gen_server:cast(Client, answer) end, Asking),
    await(done, Clients),
    Figures = [_, {_, Rate}, _] = per_message(2 * Clients * Questions, Watch),
    [{"round_trips_per_s", Rate / 2} | Figures].

fan_out(Actors, Messages) ->
    Pids = counters(Actors, Messages),
    Watch = watch(),
    spawn_link(fun() -> cast_all(Pids, Messages) end),
    await(done, Actors),
    per_message(Actors * Messages, Watch).

cast_all(_Pids, 0) -> ok;
cast_all(Pids, Left) ->
    lists:foreach(fun(Pid) -> gen_server:cast(Pid, ping) end, Pids),
    cast_all(Pids, Left - 1).

idle_bytes(Actors) ->
    garbage_collect(),
    Before = rss(),
    counters(Actors, 1),
    garbage_collect(),
    [{"actors", Actors}, {"bytes", (rss() - Before) / Actors}].

%% The supervisor restarts each at once; what was in a crashed one's mailbox is lost, as is what is cast meanwhile.
crash_storm(Messages, Actors) ->
    Handled = counters:new(1, []),
    Names = list_to_tuple([list_to_atom("unlucky_" ++ integer_to_list(N)) || N <- lists:seq(1, Actors)]),
    {ok, Supervisor} = supervisor:start_link(?MODULE, {supervise, [{Name, {unlucky, Handled}} || Name <- tuple_to_list(Names)]}),
    Watch = watch(),
    lists:foreach(fun(N) -> gen_server:cast(element(N rem Actors + 1, Names), {message, N}) end, lists:seq(0, Messages - 1)),
    lists:foreach(fun settle/1, tuple_to_list(Names)),
    Figures = per_message(Messages, Watch),
    unlink(Supervisor),
    exit(Supervisor, shutdown),
    Poison = length([N || N <- lists:seq(0, Messages - 1), draw(N) =:= 0]),
    Figures ++ [{"lost", Messages - Poison - counters:get(Handled, 1)}].

settle(Name) ->
    try gen_server:call(Name, settle, ?PATIENCE_MS)
    catch exit:_ -> timer:sleep(1), settle(Name)
    end.

draw(Number) ->
    ((Number * 2654435761) band 16#ffffffff) * 1000 bsr 32.

%% From a crash in a handler to the end of the next incarnation's init; what it was handling is lost.
restart_latency(Restarts) ->
    {ok, Supervisor} = supervisor:start_link(?MODULE, {supervise, [{phoenix, {phoenix, self()}}]}),
    receive {born, _} -> ok end,
    Waits = [rebirth() || _ <- lists:seq(1, Restarts)],
    unlink(Supervisor),
    exit(Supervisor, shutdown),
    [{"restarts", Restarts}, {"p50_us", percentile(0.5, Waits) / 1000}, {"p99_us", percentile(0.99, Waits) / 1000}].

rebirth() ->
    gen_server:cast(phoenix, {die, self()}),
    Died = receive {died, At} -> At after ?PATIENCE_MS -> halt(3) end,
    receive {born, Born} -> Born - Died after ?PATIENCE_MS -> halt(3) end.

%% actors

start_link(Name, State) -> gen_server:start_link({local, Name}, ?MODULE, State, []).

init({supervise, Children}) ->
    Specs = [#{id => Name, start => {?MODULE, start_link, [Name, State]}} || {Name, State} <- Children],
    {ok, {#{strategy => one_for_one, intensity => 1000000, period => 1}, Specs}};
init({phoenix, Main}) ->
    Main ! {born, erlang:monotonic_time(nanosecond)},
    {ok, {phoenix, Main}};
init(State) -> {ok, State}.

handle_call(settle, _From, State) -> {reply, ok, State}.

handle_cast(ping, {counter, Main, Count, Last}) ->
    case Count + 1 of
        Last -> Main ! done;
        0 -> Main ! awake;
        _ -> ok
    end,
    {noreply, {counter, Main, Count + 1, Last}};
handle_cast({question, From, _N}, server) ->
    gen_server:cast(From, answer),
    {noreply, server};
handle_cast(answer, {client, Main, _Server, 0} = State) ->
    Main ! done,
    {noreply, State};
handle_cast(answer, {client, Main, Server, Left}) ->
    gen_server:cast(Server, {question, self(), Left}),
    {noreply, {client, Main, Server, Left - 1}};
handle_cast({message, N}, {unlucky, Handled} = State) ->
    case draw(N) of
        Draw when Draw =< 10 -> exit(misfortune);
        _ -> counters:add(Handled, 1, 1)
    end,
    {noreply, State};
handle_cast({die, Main}, {phoenix, Main}) ->
    Main ! {died, erlang:monotonic_time(nanosecond)},
    exit(misfortune).
